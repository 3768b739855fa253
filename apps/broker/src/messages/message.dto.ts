import { isWellFormed, readTextFields, type PublishRequest, type TextRules } from '@ssb/bus';
import { InvalidRequestError } from '@ssb/platform';
import {
  IsDateTime,
  IsIntBetween,
  IsOptionalField,
  IsTextThat,
  ParseDigits,
} from '@ssb/platform/request-dto';
import { IsIn, IsString, Length } from 'class-validator';

const MAX_NAME_LENGTH = 255;
const MAX_AMOUNT = 1_000;

/** The payload has no limit here, because its channel defines one. */
const PUBLISH_RULES: TextRules<PublishRequest> = {
  fqcn: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  topic: { isOptional: true, minLength: 1, maxLength: MAX_NAME_LENGTH },
  payload: {},
  signature: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  correlationId: { isOptional: true, minLength: 1, maxLength: MAX_NAME_LENGTH },
};

/** Parses the body of `POST /message`, without a DTO class for speed (decision 25). @throws InvalidRequestError */
export function parsePublishRequest(body: unknown): PublishRequest {
  const result = readTextFields(body, PUBLISH_RULES);
  if (result.ok) return result.value;
  throw new InvalidRequestError(result.faults);
}

const IsClientId = (): PropertyDecorator =>
  IsTextThat(
    (text) => text.length >= 1 && text.length <= MAX_NAME_LENGTH && isWellFormed(text),
    `must be text of 1 to ${MAX_NAME_LENGTH} characters with a UTF-8 form`,
  );

/** A channel and the client whose offset is read or moved. */
class ReaderDto {
  @Length(1, MAX_NAME_LENGTH)
  @IsString()
  readonly fqcn!: string;

  @IsClientId()
  readonly clientId: string = 'default';
}

/** Query of `GET /message`. */
export class ReadMessagesDto extends ReaderDto {
  @IsIntBetween(1, MAX_AMOUNT)
  @ParseDigits()
  readonly amount: number = 100;

  @IsOptionalField()
  @IsDateTime()
  readonly from?: Date;

  @IsIn(['true', 'false'])
  readonly move: 'true' | 'false' = 'true';
}

/** Body of `POST /message/acknowledgement`. */
export class AcknowledgeDto extends ReaderDto {
  @Length(1, MAX_NAME_LENGTH)
  @IsString()
  readonly upTo!: string;
}
