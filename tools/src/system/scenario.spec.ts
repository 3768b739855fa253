import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkSimulation,
  countScenarioParticipants,
  describePlay,
  hasBacklog,
  toSimulatorSettings,
} from './scenario.js';

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

it('knows which markets have a past', async () => {
  expect(await hasBacklog('everyday')).toBe(true);
  expect(await hasBacklog('everyday', { FROM: '2026-03-01' })).toBe(false);
  expect(await hasBacklog('demo')).toBe(false);
});

it('says what the market plays, once', async () => {
  const data = mkdtempSync(join(tmpdir(), 'scenario-'));
  try {
    expect(await describePlay('everyday', data)).toMatch(
      /^The market plays:\n {2}- a statement\n {2}- its invoice/,
    );
    expect(await describePlay('everyday', data, { FROM: '2026-03-01' })).toBeUndefined();
    expect(await describePlay('demo', data)).toBeUndefined();
    mkdirSync(join(data, 'simulator'));
    writeFileSync(join(data, 'simulator/progress.json'), '{}');
    expect(await describePlay('everyday', data)).toBe('The market continues where it stopped.');
  } finally {
    rmSync(data, { recursive: true });
  }
});
