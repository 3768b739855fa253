import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/api-client.js';
import { LiveProvider } from './api/live.js';
import { router } from './router.js';
import { Session } from './session/session.js';
import { takeReturnAddress } from './session/sign-in.js';
import { preloadCharts } from './ui/line-chart.js';
import './styles/index.css';

const MAX_RETRIES = 2;

/** A session that ended shows with any request. The sign-in page then takes the place of all others. */
function noteEndOfSession(error: Error, isAboutCaller = false): void {
  if (error instanceof ApiError && error.status === 401 && !isAboutCaller)
    void client.invalidateQueries({ queryKey: ['/v1/caller'] }, { cancelRefetch: false });
}

const isFinal = (status: number): boolean => status < 500 && status !== 429;

const client = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [path] }) => noteEndOfSession(error, path === '/v1/caller'),
  }),
  mutationCache: new MutationCache({ onError: (error) => noteEndOfSession(error) }),
  defaultOptions: {
    // A request that fails says so. None waits until the browser believes that it is online.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      // What a request did wrong stays wrong; an absent response may come at the next try.
      retry: (failures, error) =>
        failures < MAX_RETRIES &&
        !(error instanceof ApiError && error.status !== undefined && isFinal(error.status)),
    },
  },
});

// The overview draws them; other pages do not need them.
if (location.pathname === '/') preloadCharts();

// The page of a failed sign-in shows its reason first.
// The API leads to the first page after a sign-in at the issuer.
const returnTo = location.pathname === '/' ? takeReturnAddress() : undefined;
if (returnTo !== undefined) history.replaceState(null, '', returnTo);

// A page that the browser kept may show what a person saw who has signed out.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Session>
        <LiveProvider>
          <RouterProvider router={router} />
        </LiveProvider>
      </Session>
    </QueryClientProvider>
  </StrictMode>,
);
