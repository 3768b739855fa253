import type { Curve } from './curve.js';
import { loadNativeCurve } from './native-curve.js';
import { nobleCurve } from './noble-curve.js';

/** Uses the native binding if it loads, otherwise noble. */
export const curve: Curve = loadNativeCurve() ?? nobleCurve;
