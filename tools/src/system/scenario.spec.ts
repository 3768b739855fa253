import { simulationSettings } from './scenario.js';

it("names the simulator's settings, and leaves out what is not given", () => {
  expect(simulationSettings({})).toEqual({});
  expect(simulationSettings({ speed: 'max', from: '2026-03-01' })).toEqual({
    SPEED: 'max',
    FROM: '2026-03-01',
  });
  expect(simulationSettings({ seed: 'mine', until: '2026-03-31' })).toEqual({
    SEED: 'mine',
    UNTIL: '2026-03-31',
  });
});
