import { Page } from '../../ui/page.js';

export function SinksPage() {
  return <Page title="Sinks">…</Page>;
}
