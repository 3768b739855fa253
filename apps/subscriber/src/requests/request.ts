/** Database channel that notifies the replicas of a new request. A trigger of the table `request` uses it too. */
export const REQUESTS_CHANNEL = 'requests';

export const REQUEST_KINDS = [
  'acknowledge',
  'close',
  'silence',
  'end-silence',
  'resend',
  'skip',
  'test',
  'replay',
  'enable-sink',
  'disable-sink',
  'rebuild-problems',
  // By the replica that reads the channels.
  'recheck-quarantine',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** refused: it cannot be carried out, and the result says why. failed: the subscriber could not complete it. */
export const REQUEST_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** What a person requests. */
export interface OpenRequest<Parameters = unknown> {
  readonly requestId: number;
  readonly kind: RequestKind;
  readonly parameters: Parameters;
  readonly author: string;
  readonly comment: string | undefined;
  readonly requestedAt: Date;
  /** What an earlier replica has recorded with `saveProgress`. */
  readonly progress: Readonly<Record<string, unknown>> | undefined;
}

/** How a request ended. The result is stored with it and in the audit table, so it holds no payload and no secret. */
export interface RequestResult {
  readonly outcome: RequestOutcome;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** @param reason a sentence: what is wrong, what is allowed, what to do next */
export const refuse = (reason: string): RequestResult => ({ outcome: 'refused', result: { reason } });
