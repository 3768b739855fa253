import { useMutation, useQueryClient } from '@tanstack/react-query';
import { post, type ApiError, type BodyOf, type Parts, type PostPath, type ResultOf } from './api-client.js';
import { refreshAll } from './refresh.js';

/** Seconds that the API waits for the end of a request. */
const WAIT_SECONDS = 10;

/** Sends an action in the name of the person, and reads everything again when it has ended. */
export function useAction<P extends PostPath>(path: P) {
  const client = useQueryClient();
  return useMutation<
    ResultOf<P>,
    ApiError,
    { readonly body?: BodyOf<P>; readonly parts?: Parts; readonly wait?: boolean }
  >({
    mutationFn: ({ body, parts, wait = true }) =>
      post(path, {
        ...(body !== undefined && { body }),
        ...(parts && { parts }),
        ...(wait && { query: { wait: WAIT_SECONDS } }),
      }),
    // The action has ended, so it does not wait for the readings.
    onSettled: () => void refreshAll(client, true),
  });
}
