import { marketToday, type MarketDate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { plannedRunOn } from './domain/calendar.js';
import { fillIn } from './domain/relative-day.js';
import type { OnceScenario, Scenario } from './domain/scenario.js';
import { timelineOf } from './domain/settlement-run.js';
import type { Market } from './market.js';
import { playEndlessly } from './play-endlessly.js';
import { pause } from './stage/pause.js';
import type { ProgressFile } from './stage/progress-file.js';

export interface Stage {
  market: Market;
  participants: readonly string[];
  progress: ProgressFile;
  log: Logger;
  /** A wait of the scenario, shortened by the speed of the play. */
  hold: (ms: number) => number;
}

/** Plays the scenario: one with an end from its first scene to its last, an endless one until the signal aborts. */
export async function play(scenario: Scenario, stage: Stage, signal: AbortSignal): Promise<void> {
  switch (scenario.kind) {
    case 'once':
      return playOnce(scenario, stage, signal);
    case 'endless':
      return playEndlessly(scenario, stage, signal);
  }
}

/** Timeline → scene after scene, each held for its time → finished. */
async function playOnce(scenario: OnceScenario, stage: Stage, signal: AbortSignal): Promise<void> {
  const { market, participants, log } = stage;
  const today = marketToday(new Date());
  log.info(
    { step: 'expected', expect: expectations(scenario, participants, today) },
    'what the bridge must state',
  );
  const runs = new Map(Object.entries(scenario.runs).map(([name, run]) => [name, plannedRunOn(today, run)]));
  await market.announce(timelineOf([...runs.values()]), signal);
  for (const scene of scenario.scenes) {
    for (const participant of participants) {
      if ('margin' in scene) await market.calculate(participant, scene.margin, signal);
      else {
        const run = runs.get('statement' in scene ? scene.statement : scene.invoice);
        if (run === undefined) throw new Error('a scene names a run that the scenario does not have');
        if ('statement' in scene) await market.state(participant, run, signal);
        else await market.invoice(participant, run, fillIn(scene.id, { participant, today }), signal);
      }
    }
    await pause(stage.hold(scene.hold), signal);
  }
  log.info({ step: 'finished', scenes: scenario.scenes.length }, 'finished');
}

function expectations(
  { expect }: OnceScenario,
  participants: readonly string[],
  today: MarketDate,
): [type: string, subject: string][] {
  return participants.flatMap((participant) =>
    expect.map(([type, subject]): [string, string] => [type, fillIn(subject, { participant, today })]),
  );
}
