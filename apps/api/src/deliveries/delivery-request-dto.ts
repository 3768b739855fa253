import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { MIN_ID_LENGTH } from '../database/find-id.js';
import {
  IsOptionalText,
  IsText,
  isName,
  MAX_NAME_LENGTH,
  NAME_REQUIREMENT,
  NAME_SCHEMA,
  TYPE_SCHEMA,
  type TextSchema,
} from '../http/texts.js';
import { OptionalComment } from '../requests/comment.js';
import type { DeliveryState } from './delivery-dto.js';
import { findDeliveryTypes } from './delivery-types.js';

const RESENDABLE_STATES = ['parked', 'delivered', 'replaced', 'skipped', 'withheld'] as const;
const SKIPPABLE_STATES = ['pending', 'parked'] as const;

const MAX_LISTED = 500;

/** A list of 1 to `MAX_LISTED` texts in a body. */
const IsList = (
  test: (text: string) => boolean,
  requirement: string,
  { description, items }: { readonly description: string; readonly items: TextSchema },
): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      description,
      type: 'array',
      minItems: 1,
      maxItems: MAX_LISTED,
      items,
    }),
    IsOptionalField(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_LISTED),
    IsTextThat(test, requirement, { each: true }),
  );

const AreStates = (states: readonly string[], description: string): PropertyDecorator =>
  IsList((text) => states.includes(text), `must be one of ${states.join(', ')}`, {
    description,
    items: { type: 'string', enum: [...states] },
  });

const IsTime = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', format: 'date-time', description }),
    IsOptionalField(),
    IsDateTime(),
  );

const TYPE = {
  description: 'Types of events, also without prefix and version; delivery.digest for digests.',
  items: TYPE_SCHEMA,
};

/** Which archived events a request is about: those that match each given member. */
class EventSelection extends OptionalComment {
  @IsList(
    (text) => findDeliveryTypes(text).length > 0,
    'must be an event type, such as margin.breached',
    TYPE,
  )
  readonly types?: readonly string[];

  @IsList(isName, NAME_REQUIREMENT, {
    description:
      'Codes of participants. A caller of some participants names only these; by default all of them.',
    items: NAME_SCHEMA,
  })
  readonly participants?: readonly string[];
}

/** Which deliveries a request is about. At least one of `events`, `states`, `types` and `since` is given. */
class DeliverySelection extends EventSelection {
  @IsList(
    (text) => isName(text) && [...text].length >= MIN_ID_LENGTH,
    `${NAME_REQUIREMENT}; give at least the first ${MIN_ID_LENGTH} characters of an id`,
    {
      description:
        'Ids that the sinks see: of events, or of messages about them. Their first 6 characters or more suffice.',
      items: { ...NAME_SCHEMA, minLength: MIN_ID_LENGTH },
    },
  )
  readonly events?: readonly string[];

  @IsOptionalText({ maxLength: MAX_NAME_LENGTH, description: 'Name of the sink. Default: every sink.' })
  readonly sink?: string;

  @IsTime('Of events that were archived at this time or later.') readonly since?: Date;
  @IsTime('Of events that were archived before this time.') readonly until?: Date;
}

/** Deliveries that become pending again. */
export class ResendRequest extends DeliverySelection {
  @AreStates(RESENDABLE_STATES, 'States of the deliveries. Default: all but withheld.')
  readonly states?: readonly DeliveryState[];
}

/** Deliveries that end without an attempt. */
export class SkipRequest extends DeliverySelection {
  @AreStates(SKIPPABLE_STATES, 'States of the deliveries. Default: both.')
  readonly states?: readonly DeliveryState[];
}

/** Archived events that a sink gets which has not had them. */
export class ReplayRequest extends EventSelection {
  @IsText({ maxLength: MAX_NAME_LENGTH, description: 'Name of the sink.' })
  readonly sink!: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Events that were archived at this time or later.',
  })
  @IsDateTime()
  readonly since!: Date;

  @IsTime('Events that were archived before this time. Default: now.') readonly until?: Date;
}
