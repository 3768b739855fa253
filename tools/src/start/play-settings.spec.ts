import { playSettings } from './play-settings.js';

it("names the simulator's settings, and leaves out what the command line does not say", () => {
  expect(playSettings({})).toEqual({});
  expect(playSettings({ speed: 'max', from: '2026-03-01' })).toEqual({ SPEED: 'max', FROM: '2026-03-01' });
  expect(playSettings({ seed: 'mine', until: '2026-03-31' })).toEqual({ SEED: 'mine', UNTIL: '2026-03-31' });
});
