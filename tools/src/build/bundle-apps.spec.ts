import { bundlesAreCurrent, entryPoints, type Manifest } from './bundle-apps.js';

/** Built later than every file was changed. */
const CURRENT: Manifest = {
  builtAt: Date.now() + 3_600_000,
  entryPoints: entryPoints(),
  inputs: ['package.json'],
};

it.each<[string, Partial<Manifest>, boolean]>([
  ['current while nothing has changed', {}, true],
  ['out of date when a file has changed since', { builtAt: 0 }, false],
  ['out of date when a file was deleted', { inputs: ['no-such-file.js'] }, false],
  ['out of date when an app was added', { entryPoints: entryPoints().slice(1) }, false],
])('bundles are %s', (_, change, current) => {
  expect(bundlesAreCurrent({ ...CURRENT, ...change })).toBe(current);
});
