import type { Scenario } from '../domain/scenario.js';
import type { Settings } from '../settings.js';
import { ScenarioError } from './scenario-file.js';

/** Settings that contradict the scenario are refused at once. @throws ScenarioError */
export function checkPlayable({ kind }: Scenario, settings: Settings): void {
  const { SCENARIO, FROM, UNTIL, SPEED, STEP } = settings;
  if (kind === 'endless' && SPEED === Infinity && FROM === undefined)
    throw new ScenarioError(
      SCENARIO,
      'it has no end; at SPEED=max it needs FROM, the market day it begins on',
    );
  if (SPEED === Infinity && STEP)
    throw new ScenarioError(SCENARIO, 'STEP waits for each step, SPEED=max waits for nothing: choose one');
  if (UNTIL !== undefined && FROM === undefined)
    throw new ScenarioError(SCENARIO, 'UNTIL needs FROM, the market day it begins on');
  if (UNTIL !== undefined && kind === 'once')
    throw new ScenarioError(SCENARIO, 'it has an end of its own, so that UNTIL has no meaning');
  if (UNTIL !== undefined && FROM !== undefined && UNTIL < FROM)
    throw new ScenarioError(SCENARIO, `UNTIL=${UNTIL} lies before FROM=${FROM}`);
}
