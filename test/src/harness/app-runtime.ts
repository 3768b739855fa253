/**
 * Settings of every app that a test starts: fewer garbage collections than with the memory limits of production. The benchmark
 * measures with those.
 */
export const APP_RUNTIME: Readonly<Record<string, string>> =
  process.env['TEST_SERVERS_FOLDER'] === undefined
    ? {}
    : { NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=32' };
