import { version } from 'esbuild';
import { bundlesAreCurrent, entryPoints, type Manifest } from './bundle-apps.js';

/** Newer than every file. */
const CURRENT: Manifest = {
  madeAt: Date.now() + 3_600_000,
  esbuild: version,
  entryPoints: entryPoints(),
  inputs: ['package.json'],
};

describe('the bundles', () => {
  it('hold every app and the commands that start them', () => {
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
    ['a file has changed since', { madeAt: 0 }],
    ['a file is gone', { inputs: ['no-such-file.js'] }],
    ['esbuild is another one', { esbuild: '0.0.0' }],
    ['an app was added', { entryPoints: entryPoints().slice(1) }],
  ])('are made again when %s', (_, change) => {
    expect(bundlesAreCurrent({ ...CURRENT, ...change })).toBe(false);
  });
});
