import { checkSimulation, countScenarioParticipants, toSimulatorSettings } from './scenario.js';

it("maps the given options to the simulator's settings", () => {
  expect(toSimulatorSettings({})).toEqual({});
  expect(toSimulatorSettings({ speed: 'max', from: '2026-03-01' })).toEqual({
    SPEED: 'max',
    FROM: '2026-03-01',
  });
  expect(toSimulatorSettings({ seed: 'mine', until: '2026-03-31' })).toEqual({
    SEED: 'mine',
    UNTIL: '2026-03-31',
  });
});

it.each([
  ['many-participants', 3],
  ['demo', 1],
  ['everyday', 1],
])('%s needs %i participants', async (scenario, count) => {
  expect(await countScenarioParticipants(scenario)).toBe(count);
});

it('reports an unknown scenario with the known ones', async () => {
  await expect(checkSimulation('no-such-scenario', {})).rejects.toThrow(
    'There is no scenario no-such-scenario. Use the path of a YAML file, or one of: ',
  );
});
