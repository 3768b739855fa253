import {
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';

export type StreamConfiguration = Partial<StreamConfig> & { name: string };

/** Error codes of JetStream's API. */
const NAME_IN_USE = 10058;
export const STREAM_NOT_FOUND = 10059;
const SUBJECTS_OVERLAP = 10065;
/** Another client wrote to the subject concurrently. */
export const WRONG_LAST_SEQUENCE = 10071;

/** Creates a stream, or updates the configuration of an existing one. Two brokers may do this concurrently. */
export async function createOrUpdateStream(
  manager: JetStreamManager,
  configuration: StreamConfiguration,
): Promise<StreamInfo> {
  try {
    return await addOrUpdate(manager, configuration);
  } catch (error) {
    // The server can return this error while it creates the same stream for another broker.
    if (!hasCode(error, SUBJECTS_OVERLAP)) throw error;
    return addOrUpdate(manager, configuration);
  }
}

async function addOrUpdate(
  manager: JetStreamManager,
  configuration: StreamConfiguration,
): Promise<StreamInfo> {
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
