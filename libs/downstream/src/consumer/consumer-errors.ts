/** No retry of the consumer would help. `run` rejects with it; the message says what to do. */
export abstract class ConsumerError extends Error {}

/** An option has a value that cannot work. */
export class InvalidOptionError extends ConsumerError {
  override readonly name = 'InvalidOptionError';

  constructor(
    readonly option: string,
    rule: string,
  ) {
    super(`${option} ${rule}`);
  }
}

/** The gateway refuses the connection. */
export class ConnectionRefusedError extends ConsumerError {
  override readonly name = 'ConnectionRefusedError';

  constructor(
    /** The status of the response to the upgrade. */
    readonly status: number,
    /** What the gateway said. */
    readonly reason: string,
    advice: string,
  ) {
    super(`${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}. ${advice}`);
  }
}

/** A channel does not exist, or the gateway may not read it. */
export class ChannelRefusedError extends ConsumerError {
  override readonly name = 'ChannelRefusedError';

  constructor(
    /** Code of the bus, such as `BUS::CHANNEL_NOT_FOUND`. */
    readonly code: string,
    readonly reason: string,
  ) {
    super(
      `The bus refuses a channel: ${reason} Correct channels, or the channels of the trust file, or ask the owner of the channel to admit your gateway.`,
    );
  }
}

/** Another connection with the same clientId replaced this one. */
export class SupersededError extends ConsumerError {
  override readonly name = 'SupersededError';

  constructor(readonly clientId: string) {
    super(
      `Another consumer with the clientId ${JSON.stringify(clientId)} connected and replaced this one. Give each consumer a clientId of its own.`,
    );
  }
}

/** A handler or the store failed in every attempt. The message is not acknowledged: the bus delivers it again to the next run. */
export class ProcessingFailedError extends ConsumerError {
  override readonly name = 'ProcessingFailedError';

  constructor(
    /** Id of the message on the bus. */
    readonly messageId: string,
    readonly attempts: number,
    options: ErrorOptions,
  ) {
    super(
      `The message ${messageId} could not be processed in ${attempts} attempts. Correct the handler or the store, then run the consumer again: with acknowledged delivery the bus repeats the message.`,
      options,
    );
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct clientId, window or from.',
  401: 'The user or the password of this consumer is wrong. Check both.',
  403: 'Ask the operator of the gateway for the right messages.',
  404: 'Check url: it is the address of the gateway, without /events.',
};

/** The error of a refused connection; undefined when another attempt can succeed. */
export function toRefusal(status: number | undefined, reason: string): ConnectionRefusedError | undefined {
  const advice = ADVICE[status ?? 0];
  return status === undefined || advice === undefined
    ? undefined
    : new ConnectionRefusedError(status, reason, advice);
}

/** Kinds of errors of the bus that concern a channel of the request. */
const CHANNEL_KINDS: readonly (string | undefined)[] = ['CHANNEL_NOT_FOUND', 'CHANNEL_UNAUTHORIZED'];

/** @param code such as `BUS::CHANNEL_NOT_FOUND` */
export function concernsChannel(code: string): boolean {
  return CHANNEL_KINDS.includes(code.split('::')[1]);
}
