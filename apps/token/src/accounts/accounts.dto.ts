import { ParseDigits, IsIntBetween, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsString,
  Length,
  Matches,
} from 'class-validator';
import { formatScope, parseScope } from '../domain/scopes.js';
import {
  type AccountDetails,
  MAX_GRACE_SECONDS,
  MAX_SECRET_LENGTH,
  MIN_SECRET_LENGTH,
} from './account.repository.js';
import type { AccountResult } from './accounts.service.js';

const MAX_SCOPES = 200;
const MAX_PAGE_SIZE = 500;

/** Body of `POST /admin/v1/accounts/disable` and `…/enable`. */
export class ClientIdDto {
  /** RFC 6749, appendix A.1. */
  @Matches(/^(?! )[\x20-\x7e]{1,100}(?<! )$/, {
    message: '$property must be 1 to 100 printable ASCII characters, without a space at either end',
  })
  readonly clientId!: string;
}

/** Body of `POST /admin/v1/accounts`. */
export class CreateAccountDto extends ClientIdDto {
  @IsTextThat(
    (text) => parseScope(text) !== undefined,
    'must be <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>, permissions of the letters C, R, U, D',
    { each: true },
  )
  @ArrayMaxSize(MAX_SCOPES)
  @ArrayNotEmpty()
  @IsArray()
  readonly scopes!: readonly string[];

  @IsBoolean()
  readonly bound: boolean = false;

  @IsOptionalField()
  @Length(MIN_SECRET_LENGTH, MAX_SECRET_LENGTH)
  @IsString()
  readonly secret?: string;

  @IsIn(['refuse', 'keep', 'replace'])
  readonly ifExists: 'refuse' | 'keep' | 'replace' = 'refuse';
}

/** Body of `POST /admin/v1/accounts/rotate`. */
export class RotateSecretDto extends ClientIdDto {
  @IsOptionalField()
  @Length(MIN_SECRET_LENGTH, MAX_SECRET_LENGTH)
  @IsString()
  readonly secret?: string;

  @IsIntBetween(0, MAX_GRACE_SECONDS)
  readonly graceSeconds: number = 0;
}

/** Query of `GET /admin/v1/accounts`. */
export class ListAccountsDto {
  @Matches(/^[\x20-\x7e]{0,100}$/, { message: '$property must be the client id after which the page begins' })
  readonly after: string = '';

  @IsIntBetween(1, MAX_PAGE_SIZE)
  @ParseDigits()
  readonly limit: number = 100;
}

/** An account in responses of the admin API. Times are ISO 8601, UTC. */
export interface AccountView {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly bound: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly changedAt: string;
  /** End of the previous secret's grace period. */
  readonly previousSecretUntil?: string;
}

export interface AccountResponse {
  readonly outcome: 'created' | 'replaced' | 'kept' | 'rotated';
  readonly account: AccountView;
  /** The generated secret. No other response contains it. */
  readonly secret?: string;
}

export interface AccountListResponse {
  readonly accounts: readonly AccountView[];
  /** `after` of the next page, if there is one. */
  readonly next?: string;
}

export function toAccountView(account: AccountDetails): AccountView {
  const { clientId, scopes, bound, disabled, createdAt, changedAt, previousSecretUntil } = account;
  return {
    clientId,
    scopes: scopes.map(formatScope),
    bound,
    disabled,
    createdAt: createdAt.toISOString(),
    changedAt: changedAt.toISOString(),
    ...(previousSecretUntil && { previousSecretUntil: previousSecretUntil.toISOString() }),
  };
}

export function toAccountResponse(
  outcome: AccountResponse['outcome'],
  { account, secret }: AccountResult,
): AccountResponse {
  return { outcome, account: toAccountView(account), ...(secret !== undefined && { secret }) };
}
