import { isDid } from '@ssb/identity';
import { z } from 'zod';
import { accessSchema } from './access-schema.js';
import { alertsSchema } from './alerts/alerts-schema.js';
import { calendarShape, detectionSchema, REQUIRED_MARGIN_KEYS } from './detection/detection-schema.js';
import { isUnknown } from './placeholders.js';
import { participantCode, strict, text, typePattern } from './schema-values.js';

const FQCN = /^[a-z0-9-]+\.channels\.[a-z0-9.-]+\.apps\.[a-z0-9.-]+\.iam\.[a-z0-9.-]+$/;

const fqcn = text({
  form: FQCN,
  must: 'must be a channel name such as prices.channels.app.apps.organisation.iam.root',
});
const DID_FORM =
  'a DID such as did:ethr:0x… with 40 hexadecimal digits; mixed case requires the EIP-55 checksum';

/** Several DIDs in one text, so that an environment variable can hold the old and the new one while a key is replaced. */
function splitDids(item: string): string[] {
  return item.split(',').map((part) => part.trim());
}

const dids = z
  .array(
    z.string().superRefine((item, context) => {
      if (isUnknown(item)) return;
      const parts = splitDids(item);
      const wrong = parts.findIndex((part) => !isDid(part));
      if (wrong < 0) return;
      const message =
        parts.length === 1
          ? `must be ${DID_FORM}`
          : `has ${parts.length} parts separated by commas, of which number ${wrong + 1} is not a DID; each must be ${DID_FORM}`;
      context.addIssue({ code: 'custom', message });
    }),
  )
  .min(1)
  .transform((items) => items.flatMap(splitDids));

const INSTANT = z.iso.datetime({ offset: true });
const TIME = 'must be a time such as "2026-07-01T00:00:00+08:00" in quotes';
const instant = text({
  form: { test: (value) => INSTANT.safeParse(value).success },
  must: TIME,
  mustBeText: TIME,
});

/** Characters. */
const MAX_COMMENT_LENGTH = 2_000;

/** The bus's own default (document 002, `maxMsgSize`). */
const DEFAULT_MAX_MESSAGE_BYTES = 1_048_576;

export const operatorConfigSchema = strict({
  /** How the facts of all participants are detected. */
  defaults: detectionSchema.optional(),
  /** Settings of detection that several participants have, by name. */
  profiles: z.record(z.string(), detectionSchema).optional(),
  participants: z
    .array(
      strict({
        code: participantCode,
        /** Facts published before this time are archived without an alert. Default: when the subscriber first saw the participant. */
        alertsSince: instant.optional(),
        /** How the poller reaches the operator. Default: the access in the poller's settings, for at most one participant. */
        access: accessSchema.optional(),
        /** Name of one of `profiles`. */
        profile: z.string().min(1).optional(),
        ...detectionSchema.shape,
      }),
    )
    .min(1),
  ...calendarShape,
  routes: z
    .array(
      strict({
        types: z.array(typePattern).min(1),
        channel: fqcn,
        topic: z.string().min(1).optional(),
        /** Largest message of the channel, bytes. Larger facts are sent as a summary. */
        maxMessageBytes: z.int().min(4_096).max(8_388_608).default(DEFAULT_MAX_MESSAGE_BYTES),
      }),
    )
    .min(1),
  /** Event types that may lack a route or a sink without a warning. Without a route they are not published. */
  ignore: z.array(typePattern).default([]),
  senders: z.array(
    strict({
      channel: fqcn,
      /** DIDs of the gateways that may post. */
      gateways: dids,
      /** DIDs of the bridges that may sign events. */
      origins: dids,
      /** The participants about which these origins may announce facts. Default: those under `participants`. */
      participants: z.array(participantCode).min(1).optional(),
    }),
  ),
  /** Keys that are in other hands. They are trusted on no channel, and evidence of what they signed says so. */
  revoked: z
    .array(
      strict({
        did: text({
          form: { test: isDid },
          must: `must be ${DID_FORM}`,
        }),
        /** Since when the key may be in other hands. */
        since: instant,
        comment: z.string().min(1).max(MAX_COMMENT_LENGTH).optional(),
      }),
    )
    .optional(),
  alerts: alertsSchema,
}).superRefine(({ defaults, profiles = {}, participants }, context) => {
  participants.forEach(({ margin, profile }, index) => {
    // A profile that does not exist is a separate issue.
    if (profile !== undefined && !Object.hasOwn(profiles, profile)) return;
    const shared = profile === undefined ? undefined : profiles[profile]?.margin;
    const missing = REQUIRED_MARGIN_KEYS.filter((key) =>
      [margin, shared, defaults?.margin].every((each) => each?.[key] === undefined),
    );
    if (missing.length === 0) return;
    const message = `lacks ${missing.join(', ')}; set each there, in a profile or under defaults.margin`;
    context.addIssue({ code: 'custom', path: ['participants', index, 'margin'], message });
  });
});

/** The configuration in `config/bridge.yaml`. */
export type OperatorConfig = z.output<typeof operatorConfigSchema>;
export type ParticipantConfig = OperatorConfig['participants'][number];
