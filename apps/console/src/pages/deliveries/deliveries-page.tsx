import { Page } from '../../ui/page.js';

export function DeliveriesPage() {
  return <Page title="Deliveries">…</Page>;
}
