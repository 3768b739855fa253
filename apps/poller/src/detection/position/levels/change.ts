import type { CreditSupportData, MarginData, MarginForecastData } from '@ssb/events';

/** What has a level of its own. Each is one subject of events. */
export const TOPICS = ['margin', 'credit-support', 'forecast-operator', 'forecast-trend'] as const;
export type Topic = (typeof TOPICS)[number];

interface DataByTopic {
  readonly margin: MarginData;
  readonly 'credit-support': CreditSupportData;
  readonly 'forecast-operator': MarginForecastData;
  readonly 'forecast-trend': MarginForecastData;
}

/** A change of a level, or a deeper breach. `position` is that of its calculation. */
export type Change<T extends Topic = Topic> = {
  readonly [Each in T]: {
    readonly topic: Each;
    readonly position: string;
    readonly data: DataByTopic[Each] & { readonly transition: number };
  };
}[T];

/** The state after a decision, and what changed. */
export interface Decision<State, T extends Topic> {
  readonly state: State;
  readonly changes: readonly Change<T>[];
}

/** The level of a topic that was stated last: the one of the highest position and transition. */
export interface StatedLevel {
  readonly level: string;
  readonly position: string;
  readonly transition: number;
}

/** The `transition` of an event has three digits. */
export const MAX_TRANSITIONS = 999;

/** The number of a correction of what was stated, higher than that of every event of the same calculation. */
export function correctingTransition(stated: StatedLevel, position: string, changes: number): number {
  return position === stated.position ? Math.max(changes, stated.transition + 1) : changes;
}
