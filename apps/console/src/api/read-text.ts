import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { fetchOrFail, readError, toAddress, type ApiError, type GetPath, type Parts } from './api-client.js';

/** Reads the text of a response, in which no digit of a number has changed. */
export function useText(path: GetPath, parts: Parts): UseQueryResult<string, ApiError> {
  return useQuery<string, ApiError>({
    queryKey: [path, parts, 'text'],
    queryFn: async ({ signal }) => {
      const response = await fetchOrFail(toAddress(path, parts), { signal });
      if (!response.ok) throw await readError(response);
      return response.text();
    },
  });
}
