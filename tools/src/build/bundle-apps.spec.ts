import { version } from 'esbuild';
import { bundlesAreCurrent, entryPoints, type Manifest } from './bundle-apps.js';

/** Built later than every file was changed. */
const CURRENT: Manifest = {
  builtAt: Date.now() + 3_600_000,
  esbuild: version,
  entryPoints: entryPoints(),
  inputs: ['package.json'],
};

describe('bundles', () => {
  it('include every app and the commands that start them', () => {
    expect(entryPoints()).toEqual(
      expect.arrayContaining([
        'apps/poller/dist/src/main.js',
        'apps/subscriber/dist/src/main.js',
        'tools/dist/start.js',
      ]),
    );
  });

  it('are current while nothing has changed', () => {
    expect(bundlesAreCurrent(CURRENT)).toBe(true);
  });

  it.each<[string, Partial<Manifest>]>([
    ['a file has changed since', { builtAt: 0 }],
    ['a file was deleted', { inputs: ['no-such-file.js'] }],
    ['esbuild has another version', { esbuild: '0.0.0' }],
    ['an app was added', { entryPoints: entryPoints().slice(1) }],
  ])('are out of date when %s', (_, change) => {
    expect(bundlesAreCurrent({ ...CURRENT, ...change })).toBe(false);
  });
});
