import { fetchOrFail, readError } from './api-client.js';

/** The bytes of a file of the API, as it sends them. @throws ApiError */
export async function readBytes(address: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetchOrFail(address, signal ? { signal } : {});
  if (!response.ok) throw await readError(response);
  return new Uint8Array(await response.arrayBuffer());
}
