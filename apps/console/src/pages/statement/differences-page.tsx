import { Page } from '../../ui/page.js';

export function DifferencesPage() {
  return <Page title="Differences">…</Page>;
}
