import type { Curve } from './curve.js';
import { loadNativeCurve } from './native-curve.js';
import { nobleCurve } from './noble-curve.js';

/** The default implementation: the native binding where it loads, else the reference. */
export const curve: Curve = loadNativeCurve() ?? nobleCurve;
