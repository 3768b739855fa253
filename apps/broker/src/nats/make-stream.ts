import {
  JetStreamApiError,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';

/** Error code of JetStream's API. */
const NAME_IN_USE = 10058;

/** Makes a stream. The same by two brokers at once is harmless. One that is there with other limits is changed. */
export async function makeStream(
  manager: JetStreamManager,
  configuration: Partial<StreamConfig> & { name: string },
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
