import type { Scenario } from './domain/scenario.js';
import { playByTheCalendar } from './play-by-calendar.js';
import { playEndlessly } from './play-endlessly.js';
import { playOnce } from './play-once.js';
import type { Stage } from './stage/stage.js';

/**
 * Plays the scenario: one with an end from its first scene to its last; an endless one by the market's calendar when it begins on a
 * day of its own, and otherwise here and now until the signal aborts.
 */
export async function play(scenario: Scenario, stage: Stage, signal: AbortSignal): Promise<void> {
  switch (scenario.kind) {
    case 'once':
      return playOnce(scenario, stage, signal);
    case 'endless':
      if (stage.from === undefined) return playEndlessly(scenario, stage, signal);
      return playByTheCalendar(scenario, { ...stage, from: stage.from }, signal);
  }
}
