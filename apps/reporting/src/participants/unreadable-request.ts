import type { Server } from 'node:http';
import { refuseUnreadable as refuse } from '@ssb/platform';

/** What is no readable HTTP request is answered with problem+json. Its statuses are of HTTP, not of the interface of document 000. */
export function refuseUnreadable(server: Server): void {
  refuse(server, ({ status, title, detail }) => ({
    type: 'application/problem+json',
    text: JSON.stringify({ type: 'about:blank', title, status, detail }),
  }));
}
