import { addDays, type MarketDate } from '@ssb/market';
import { plannedRunOn, type CalendarRun } from './domain/calendar.js';
import { fillIn } from './domain/relative-day.js';
import type { Scene } from './domain/scene.js';
import type { OnceScenario } from './domain/scenario.js';
import { timelineOf } from './domain/settlement-run.js';
import type { Stage } from './stage/stage.js';

/** Timeline → scene after scene, each held for its time → finished. */
export async function playOnce(scenario: OnceScenario, stage: Stage, signal: AbortSignal): Promise<void> {
  const { market, participants, log, clock } = stage;
  const today = market.today;
  log.info(
    { step: 'expected', expect: expectations(scenario, participants, today) },
    'what the bridge must state',
  );
  const runs = new Map(Object.entries(scenario.runs).map(([name, run]) => [name, plannedRunOn(today, run)]));
  await market.announce(timelineOf([...runs.values()]), signal);
  for (const scene of scenario.scenes) {
    await act(scene, { scenario, today, runs }, stage, signal);
    await clock.wait(scene.hold, signal);
  }
  log.info({ step: 'finished', scenes: scenario.scenes.length }, 'finished');
}

interface Script {
  scenario: OnceScenario;
  /** The day of the play: a play that lasts past midnight keeps it. */
  today: MarketDate;
  runs: Map<string, CalendarRun>;
}

async function act(scene: Scene, script: Script, stage: Stage, signal: AbortSignal): Promise<void> {
  const { market, participants } = stage;
  const { today } = script;
  const each = async (what: (participant: string) => Promise<void>): Promise<void> => {
    for (const participant of participants) await what(participant);
  };
  if ('margin' in scene) {
    const options =
      scene.tradingDay === undefined ? undefined : { tradingDay: addDays(today, scene.tradingDay) };
    return each((participant) => market.calculate(participant, scene.margin, signal, options));
  }
  if ('forecast' in scene) return each((participant) => market.forecast(participant, scene.forecast, signal));
  if ('outage' in scene) {
    const forSeconds = Math.max(1, Math.ceil(scene.lasts / 1_000 / stage.speed));
    return market.trouble({ kind: 'error', status: scene.outage, forSeconds }, signal);
  }
  if ('move' in scene) {
    const { move, statementDay, invoiceDay, settlementDay } = scene;
    const days = { statementDay, invoiceDay, settlementDay };
    script.runs.set(move, { ...runNamed(move, script), ...daysFrom(today, days) });
    return market.announce(timelineOf([...script.runs.values()]), signal);
  }
  if ('invoice' in scene) {
    const run = runNamed(scene.invoice, script);
    return each((participant) => {
      const filled = (text: string): string => fillIn(text, { participant, today });
      const reversedId = scene.reversed === undefined ? undefined : filled(scene.reversed);
      const words = { id: filled(scene.id), reversedId, offBy: scene.offBy };
      return market.invoice(participant, run, words, signal);
    });
  }
  const run = runNamed('revise' in scene ? scene.revise : scene.statement, script);
  if ('revise' in scene) market.revise(run);
  const stamp = market.stamp();
  return each((participant) => market.state(participant, run, stamp, signal));
}

function runNamed(name: string, { runs }: Script): CalendarRun {
  const run = runs.get(name);
  if (run === undefined) throw new Error(`a scene names a run that the scenario does not have: ${name}`);
  return run;
}

function daysFrom(
  today: MarketDate,
  days: { statementDay: number; invoiceDay: number; settlementDay: number },
): Pick<CalendarRun, 'statementDate' | 'invoiceDate' | 'settlementDate'> {
  return {
    statementDate: addDays(today, days.statementDay),
    invoiceDate: addDays(today, days.invoiceDay),
    settlementDate: addDays(today, days.settlementDay),
  };
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
