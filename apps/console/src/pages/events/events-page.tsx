import { Page } from '../../ui/page.js';

export function EventsPage() {
  return <Page title="Events">…</Page>;
}
