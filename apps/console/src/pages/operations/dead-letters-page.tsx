import { Page } from '../../ui/page.js';

export function DeadLettersPage() {
  return <Page title="Dead letters">…</Page>;
}
