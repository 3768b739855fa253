import { isDid } from '@ssb/identity';
import { z } from 'zod';

const DECIMAL = /^-?(0|[1-9]\d{0,22})(\.\d{1,8})?$/;
const FQCN = /^[a-z0-9-]+\.channels\.[a-z0-9.-]+\.apps\.[a-z0-9.-]+\.iam\.[a-z0-9.-]+$/;

const decimal = z
  .string({ error: 'write the amount in quotes, so that no digit is lost' })
  .regex(DECIMAL, 'a decimal such as "250000.00" in quotes');
const fqcn = z.string().regex(FQCN, 'a channel name such as prices.channels.app.apps.organisation.iam.root');
const did = z
  .string()
  .refine(
    isDid,
    'a DID such as did:ethr:0x… with 40 hexadecimal digits; in capitals and small letters, with the checksum of EIP-55',
  );
const pattern = z
  .string()
  .regex(/^[a-z0-9.*-]+$/, 'an event type, or a pattern such as settlementbus.margin.*');

/** The thresholds of a participant's trading margin, amounts in AUD. */
const marginThresholdsSchema = z.strictObject({
  /** Below this the margin is a warning. */
  warning: decimal,
  /** Below this the margin is breached. */
  breach: decimal,
  /** How far above a threshold the margin must rise to leave that state. */
  hysteresis: decimal,
});

const sink = z.discriminatedUnion('kind', [
  z.strictObject({ name: z.string().min(1), kind: z.literal('console') }),
  z.strictObject({
    name: z.string().min(1),
    kind: z.literal('webhook'),
    url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
    /** Standard Webhooks: `whsec_` and the key in base64. */
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'whsec_ followed by at least 24 bytes in base64'),
  }),
]);

export const operatorConfigSchema = z.strictObject({
  participants: z
    .array(z.strictObject({ code: z.string().min(1).max(60), margin: marginThresholdsSchema }))
    .min(1),
  routes: z
    .array(
      z.strictObject({ types: z.array(pattern).min(1), channel: fqcn, topic: z.string().min(1).optional() }),
    )
    .min(1),
  senders: z.array(
    z.strictObject({ channel: fqcn, gateways: z.array(did).min(1), origins: z.array(did).min(1) }),
  ),
  alerts: z
    .strictObject({
      sinks: z.array(sink),
      rules: z.array(
        z.strictObject({
          types: z.array(pattern).min(1),
          sinks: z.array(z.string().min(1)),
          /** True: an alert; false: a notice. */
          alert: z.boolean(),
        }),
      ),
    })
    .superRefine(({ sinks, rules }, context) => {
      const names = new Set(sinks.map(({ name }) => name));
      if (names.size < sinks.length)
        context.addIssue({ code: 'custom', path: ['sinks'], message: 'names must differ' });
      rules.forEach((rule, index) => {
        for (const name of rule.sinks) {
          if (names.has(name)) continue;
          const known = [...names].join(', ') || 'none';
          const message = `there is no sink named ${name} (there are: ${known})`;
          context.addIssue({ code: 'custom', path: ['rules', index, 'sinks'], message });
        }
      });
    }),
});

/** The configuration in `config/bridge.yaml`. */
export type OperatorConfig = z.output<typeof operatorConfigSchema>;
export type MarginThresholds = z.output<typeof marginThresholdsSchema>;
export type SinkConfig = z.output<typeof sink>;
