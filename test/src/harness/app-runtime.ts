/**
 * Settings of every app that a test starts: fewer garbage collections than with the memory limits of production, and no source maps, whose
 * loading is a tenth of a start. The benchmark measures with the settings of production.
 */
export const APP_RUNTIME: Readonly<Record<string, string>> =
  process.env['TEST_SERVERS_FOLDER'] === undefined ? {} : { NODE_OPTIONS: '--max-semi-space-size=32' };
