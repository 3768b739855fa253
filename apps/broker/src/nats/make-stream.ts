import {
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';

/** Error codes of JetStream's API. */
const NAME_IN_USE = 10058;
const SUBJECTS_OVERLAP = 10065;

type Configuration = Partial<StreamConfig> & { name: string };

/** Makes a stream. The same by two brokers at once is harmless. One that is there with other limits is changed. */
export async function makeStream(
  manager: JetStreamManager,
  configuration: Configuration,
): Promise<StreamInfo> {
  try {
    return await addOrUpdate(manager, configuration);
  } catch (error) {
    // Of two brokers at the same instant the server can answer one so, while it makes the stream for the other.
    if (!hasCode(error, SUBJECTS_OVERLAP)) throw error;
    return addOrUpdate(manager, configuration);
  }
}

async function addOrUpdate(manager: JetStreamManager, configuration: Configuration): Promise<StreamInfo> {
  try {
    return await manager.streams.add(configuration);
  } catch (error) {
    if (!hasCode(error, NAME_IN_USE)) throw error;
    return manager.streams.update(configuration.name, configuration);
  }
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
