import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { request, toAddress, type ApiError, type GetPath, type Parts } from './api-client.js';

/** Reads the text of a response, in which no digit of a number has changed. */
export function useText(path: GetPath, parts: Parts): UseQueryResult<string, ApiError> {
  return useQuery<string, ApiError>({
    queryKey: [path, parts, 'text'],
    queryFn: ({ signal }) => request(toAddress(path, parts), { signal }, (response) => response.text()),
  });
}
