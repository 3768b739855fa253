import type { Curve } from './curve.js';
import { loadNativeCurve } from './native-curve.js';
import { nobleCurve } from './noble-curve.js';

/** The native binding where it loads, the reference implementation elsewhere. */
export const curve: Curve = loadNativeCurve() ?? nobleCurve;
