import { Page } from '../../ui/page.js';

export function SilencesPage() {
  return <Page title="Silences">…</Page>;
}
