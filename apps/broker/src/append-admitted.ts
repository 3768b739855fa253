import type { Appended, LogChannel, MessageLog, NewMessage } from './ports/message-log.js';

/** A message that may enter the log, and the log that it enters. */
export interface Admitted {
  readonly channel: LogChannel;
  readonly message: NewMessage;
}

/** Appends messages of several channels, those of one channel together and in their order; each has an outcome. Never rejects. */
export async function appendAdmitted(
  log: MessageLog,
  all: readonly Admitted[],
): Promise<ReadonlyMap<Admitted, PromiseSettledResult<Appended>>> {
  const outcomes = new Map<Admitted, PromiseSettledResult<Appended>>();
  const append = async (channel: LogChannel, together: readonly Admitted[]): Promise<void> => {
    const results = await log.appendAll(
      channel,
      together.map(({ message }) => message),
    );
    for (const [place, admitted] of together.entries()) {
      const missing = { status: 'rejected', reason: new RangeError('the log told no outcome') } as const;
      outcomes.set(admitted, results[place] ?? missing);
    }
  };
  const channels = new Map<string, Admitted[]>();
  for (const admitted of all) {
    const { fqcn } = admitted.channel;
    const together = channels.get(fqcn);
    if (together) together.push(admitted);
    else channels.set(fqcn, [admitted]);
  }
  await Promise.all(
    [...channels.values()].map(async (together) => {
      const [first] = together;
      if (first) await append(first.channel, together);
    }),
  );
  return outcomes;
}
