#!/usr/bin/env node
// `npx busbridge` in a clone: as `npm run -s busbridge`.
process.argv.splice(2, 0, 'bundles/cli.js');
await import('../../tools/bootstrap.mjs');
