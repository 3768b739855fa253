import { FromDigits, IsIntFrom, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
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
import { MAX_GRACE_SECONDS, MAX_SECRET_LENGTH, MIN_SECRET_LENGTH } from '../accounts/account.js';
import { parseScope } from '../domain/scopes.js';

const MAX_SCOPES = 200;
const MAX_PAGE = 500;

/** Body of `POST /admin/v1/accounts/disable` and `…/enable`. */
export class AccountNameDto {
  /** RFC 6749, appendix A.1. */
  @Matches(/^(?! )[\x20-\x7e]{1,100}(?<! )$/, {
    message: '$property must be 1 to 100 printable ASCII characters, without a space at either end',
  })
  readonly clientId!: string;
}

/** Body of `POST /admin/v1/accounts`. */
export class CreateAccountDto extends AccountNameDto {
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
  readonly ifThere: 'refuse' | 'keep' | 'replace' = 'refuse';
}

/** Body of `POST /admin/v1/accounts/rotate`. */
export class RotateSecretDto extends AccountNameDto {
  @IsOptionalField()
  @Length(MIN_SECRET_LENGTH, MAX_SECRET_LENGTH)
  @IsString()
  readonly secret?: string;

  @IsIntFrom(0, MAX_GRACE_SECONDS)
  readonly graceSeconds: number = 0;
}

/** Query of `GET /admin/v1/accounts`. */
export class ListAccountsDto {
  @Matches(/^[\x20-\x7e]{0,100}$/, { message: '$property must be the name after which the page begins' })
  readonly after: string = '';

  @IsIntFrom(1, MAX_PAGE)
  @FromDigits()
  readonly limit: number = 100;
}
