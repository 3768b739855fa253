import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import type { Filters } from './format/search-values.js';
import { Shell } from './layout/shell.js';
import { OverviewPage } from './pages/overview/overview-page.js';
import { Page } from './ui/page.js';

/** A page ignores filters that it does not know. */
const validateSearch = (search: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, validateSearch });
const under = { getParentRoute: () => root } as const;

// The overview is in the first file. Each other page is read when it is opened.
const routes = root.addChildren([
  createRoute({ ...under, path: '/', component: OverviewPage }),
  createRoute({
    ...under,
    path: '/sign-in-failed',
    // The sign-in page shows the reason, to people who are not signed in.
    beforeLoad: () => redirect({ to: '/', throw: true }),
  }),
  createRoute({
    ...under,
    path: '/problems',
    component: lazyRouteComponent(() => import('./pages/problems/problems-page.js'), 'ProblemsPage'),
  }),
  createRoute({
    ...under,
    path: '/problems/$id',
    component: lazyRouteComponent(() => import('./pages/problems/problem-page.js'), 'ProblemPage'),
  }),
  createRoute({
    ...under,
    path: '/silences',
    component: lazyRouteComponent(() => import('./pages/problems/silences-page.js'), 'SilencesPage'),
  }),
  createRoute({
    ...under,
    path: '/calendar',
    component: lazyRouteComponent(() => import('./pages/calendar/calendar-page.js'), 'CalendarPage'),
  }),
  createRoute({
    ...under,
    path: '/statements/$id',
    component: lazyRouteComponent(() => import('./pages/statement/statement-page.js'), 'StatementPage'),
  }),
  createRoute({
    ...under,
    path: '/statements/$id/differences',
    component: lazyRouteComponent(() => import('./pages/statement/differences-page.js'), 'DifferencesPage'),
  }),
  createRoute({
    ...under,
    path: '/money',
    component: lazyRouteComponent(() => import('./pages/money/money-page.js'), 'MoneyPage'),
  }),
  createRoute({
    ...under,
    path: '/events',
    component: lazyRouteComponent(() => import('./pages/events/events-page.js'), 'EventsPage'),
  }),
  createRoute({
    ...under,
    path: '/events/$id',
    component: lazyRouteComponent(() => import('./pages/events/event-page.js'), 'EventPage'),
  }),
  createRoute({
    ...under,
    path: '/deliveries',
    component: lazyRouteComponent(() => import('./pages/deliveries/deliveries-page.js'), 'DeliveriesPage'),
  }),
  createRoute({
    ...under,
    path: '/deliveries/$eventId/$sink',
    component: lazyRouteComponent(() => import('./pages/deliveries/delivery-page.js'), 'DeliveryPage'),
  }),
  createRoute({
    ...under,
    path: '/sinks',
    component: lazyRouteComponent(() => import('./pages/deliveries/sinks-page.js'), 'SinksPage'),
  }),
  createRoute({
    ...under,
    path: '/operations',
    component: lazyRouteComponent(() => import('./pages/operations/operations-page.js'), 'OperationsPage'),
  }),
  createRoute({
    ...under,
    path: '/operations/dead-letters',
    component: lazyRouteComponent(() => import('./pages/operations/dead-letters-page.js'), 'DeadLettersPage'),
  }),
  createRoute({
    ...under,
    path: '/operations/quarantine',
    component: lazyRouteComponent(() => import('./pages/operations/quarantine-page.js'), 'QuarantinePage'),
  }),
  createRoute({
    ...under,
    path: '/operations/quarantine/$id',
    component: lazyRouteComponent(
      () => import('./pages/operations/quarantined-message-page.js'),
      'QuarantinedMessagePage',
    ),
  }),
  createRoute({
    ...under,
    path: '/operations/audit',
    component: lazyRouteComponent(() => import('./pages/operations/audit-page.js'), 'AuditPage'),
  }),
]);

export const router = createRouter({
  routeTree: routes,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Values stay texts: a subject of digits does not become a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        This address has no page. <Link to="/">Go to the overview</Link>.
      </p>
    </Page>
  );
}
