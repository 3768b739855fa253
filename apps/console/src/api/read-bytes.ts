import { request } from './api-client.js';

/** The bytes of a file of the API, as it sends them. @throws ApiError */
export function readBytes(address: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return request(
    address,
    signal ? { signal } : {},
    async (response) => new Uint8Array(await response.arrayBuffer()),
  );
}
