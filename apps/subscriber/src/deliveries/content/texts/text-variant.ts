/** What a message tells a person who does not read JSON. */
export interface EventText {
  /** What happened, without a full stop. */
  readonly title: string;
  /** What happened, as one or two sentences. */
  readonly explanation: string;
  /** What to do. */
  readonly action: string;
  /** `false`: nothing is due on the due date of the data. */
  readonly isDue?: boolean;
}

/** The parts of the data that say why an event was sent. An archive can hold events of other releases, so each part can be missing. */
export interface ReasonData {
  readonly level?: string;
  readonly cause?: string;
  readonly method?: string;
  readonly late?: object;
  readonly restated?: boolean;
  readonly repetition?: number;
  readonly changed?: object;
  readonly settlementRequired?: boolean;
  readonly id?: string;
  readonly reversedId?: string;
  readonly reversed?: { readonly id?: string };
  readonly digest?: string;
  readonly runId?: number;
  readonly previous?: { readonly digest?: string; readonly runId?: number };
  readonly comparedWith?: string;
  readonly direction?: string;
  readonly isRevision?: boolean;
  readonly isForecast?: boolean;
  readonly neverCalculated?: boolean;
  readonly reason?: string;
  readonly count?: number;
}

/** What differs from the text of a type, for the reason that the data of an event give. */
export type Variant = (data: ReasonData) => Partial<EventText>;
