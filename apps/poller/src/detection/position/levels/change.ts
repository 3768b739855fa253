import type { CreditSupportData, MarginData, MarginForecastData } from '@ssb/events';

/** Each topic has its own level, and is one subject of events. */
export const TOPICS = ['margin', 'credit-support', 'forecast-operator', 'forecast-trend'] as const;
export type Topic = (typeof TOPICS)[number];

interface DataByTopic {
  readonly margin: MarginData;
  readonly 'credit-support': CreditSupportData;
  readonly 'forecast-operator': MarginForecastData;
  readonly 'forecast-trend': MarginForecastData;
}

/** A change of a level, or a deeper breach. The sort key is that of its calculation. */
export type Change<T extends Topic = Topic> = {
  readonly [Each in T]: {
    readonly topic: Each;
    readonly sortKey: string;
    readonly data: DataByTopic[Each] & { readonly transition: number };
  };
}[T];

/** The state after a decision, and what changed. */
export interface Decision<State, T extends Topic> {
  readonly state: State;
  readonly changes: readonly Change<T>[];
}

/** The last announced level of a topic: that of the highest sort key and transition. */
export interface AnnouncedLevel {
  readonly level: string;
  readonly sortKey: string;
  readonly transition: number;
}

/** The `transition` of an event has three digits. */
export const MAX_TRANSITIONS = 999;

/** The number of a correction. It is higher than that of every event of the same calculation. */
export function correctingTransition(announced: AnnouncedLevel, sortKey: string, changes: number): number {
  return sortKey === announced.sortKey ? Math.max(changes, announced.transition + 1) : changes;
}
