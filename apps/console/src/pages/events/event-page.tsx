import { Page } from '../../ui/page.js';

export function EventPage() {
  return <Page title="Event">…</Page>;
}
