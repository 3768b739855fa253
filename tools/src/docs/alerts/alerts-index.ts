import { basename } from 'node:path';
import { renderList } from '../markdown.js';
import type { AlertRule } from './alert-rules.js';

const HEAD = `# Alerts of Prometheus

<!-- Written by npm run docs from helm/settlement-bus-bridge/files/alert-rules.yaml; CI fails when it is out of date. -->

One page for each alert: what it means, where to look, what to do, and how to be sure that it is over. The rules are in
\`helm/settlement-bus-bridge/files/alert-rules.yaml\`. They need Prometheus 2.42 or later.

[Operational alerts](../../alerts.md) are the bridge's own events. They reach the receivers of its configuration without Prometheus. Where both report the
same fault, the page of the alert says so.

## Names in the pages

- \`$NS\`: the namespace of the deployment, label \`namespace\` of the alert.
- \`$RELEASE\`: the Helm release, \`helm -n $NS list\`.
- \`$NAME\`: the full name of the release, the beginning of every object's name: \`kubectl -n $NS get deploy -l app.kubernetes.io/part-of=settlement-bus-bridge\`.
- \`wpgenco\`: the code of the participant in lower case, label \`participant\` of the alert.
- \`busbridge …\`: the [command](../commands.md), [in the cluster](../commands.md#in-the-cluster) or on a machine that reaches Redis, the database or the
  gateways.
- \`/health\`, \`/metrics\` of an app: its [management port](../monitoring.md). \`kubectl -n $NS port-forward deploy/$NAME-subscriber 4023\`, then
  \`curl -s http://127.0.0.1:4023/health\`; with \`management.tokenSecret\` the header \`Authorization: Bearer …\` too, with TLS \`https\`.
- "the log of the subscriber": \`kubectl -n $NS logs deploy/$NAME-subscriber --since=1h\`; with several replicas
  \`-l app.kubernetes.io/component=subscriber --prefix --tail=-1\` instead of the name. Words in \`code\` after "log" are the field \`msg\` of a line.

With Docker Compose the service has the name of the component: \`docker compose logs subscriber --since 1h\`,
\`docker compose run --rm busbridge dead-letters list\`.`;

/** What to do at night, by severity. */
const SEVERITIES = {
  critical: 'Act now, also at night: facts are not reported, can be lost, or a margin is breached.',
  warning: 'Act within the working day: it becomes critical if nothing is done.',
};

/** A Markdown page with every alert. */
export function renderAlertsIndex(rules: readonly AlertRule[]): string {
  const sections = Object.entries(SEVERITIES).map(([severity, response]) => {
    const items = rules
      .filter(({ labels }) => labels.severity === severity)
      .map(
        ({ alert, annotations: { description, runbook_url: path }, for: duration }) =>
          `[${alert}](${basename(path)}), ${duration === undefined ? 'at once' : `after ${duration}`}: ${description}`,
      );
    return `## Alerts of severity ${severity}\n\n${response}\n\n${renderList(items)}`;
  });
  return [HEAD, ...sections].join('\n\n');
}
