import type { Caller } from '../access/caller.js';
import type { RequestRow, RequestState } from './request-dto.js';

type Values = Readonly<Record<string, unknown>>;

/** A row of `request`. */
export interface StoredRequest {
  readonly id: string;
  /** Never shown: it tells how many requests there are. */
  readonly number: number;
  readonly kind: string;
  readonly state: RequestState;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
  readonly author: string;
  readonly comment: string | null;
  readonly parameters: Values;
  readonly progress: Values | null;
  readonly result: Values | null;
  /** Of the silence that it adds or ends. */
  readonly silenceKey: string | null;
}

/** Members of `progress` that are not places in the archive. */
const SHOWN_PROGRESS = ['step', 'changed', 'total'];

export function toRequestRow(stored: StoredRequest, caller: Caller): RequestRow {
  const { id, kind, state, requestedAt, endedAt, author, comment, parameters, progress, result } = stored;
  return {
    id,
    kind,
    state,
    requestedAt,
    ...(endedAt !== null && { endedAt }),
    author,
    ...(comment !== null && { comment }),
    parameters: withSilenceKey(parameters, stored),
    ...(progress !== null && { progress: choose(progress, (name) => SHOWN_PROGRESS.includes(name)) }),
    ...(result !== null && { result: toShownResult(result, stored, caller) }),
  };
}

/** Members of a result that only operators see: what a sink has responded to a test, and why it was unreachable. */
export const MEMBERS_FOR_OPERATORS: readonly string[] = ['response', 'description'];

/** Without places in the archive. */
export function toShownResult(result: Values, stored: StoredRequest, caller: Caller): Values {
  const hidden = ['archiveOffset', ...(caller.role === 'operator' ? [] : MEMBERS_FOR_OPERATORS)];
  return choose(withSilenceKey(result, stored), (name) => !hidden.includes(name));
}

/** With the id of the silence in place of its number, which is that of a request. Empty for JSON that is not an object. */
export function withSilenceKey(values: Values, { silenceKey }: Pick<StoredRequest, 'silenceKey'>): Values {
  if (!isObject(values)) return {};
  if (!('silenceId' in values)) return values;
  const others = choose(values, (name) => name !== 'silenceId');
  return silenceKey === null ? others : { silenceId: silenceKey, ...others };
}

/** The columns can hold any JSON. */
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const choose = (values: Values, isChosen: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isChosen(name)));
