import { Page } from '../../ui/page.js';

export function DeliveryPage() {
  return <Page title="Delivery">…</Page>;
}
