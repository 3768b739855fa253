import { Page } from '../../ui/page.js';

export function MoneyPage() {
  return <Page title="Money">…</Page>;
}
