/** Pairs of task texts, as two people of one team might write them: 23 that ask for the same, 15 that do not. */

export interface TaskPair {
  readonly kind: 'paraphrase' | 'order' | 'subset' | 'antonym' | 'direction' | 'number';
  readonly newText: string;
  readonly oldText: string;
}

function pairs(kind: TaskPair['kind'], texts: readonly (readonly [string, string])[]): readonly TaskPair[] {
  return texts.map(([newText, oldText]) => ({ kind, newText, oldText }));
}

export const DUPLICATES: readonly TaskPair[] = [
  ...pairs('paraphrase', [
    ['Login fails with a blank screen in Safari', 'Safari users see an empty page when they sign in'],
    ['Make the invoice PDF download faster', 'Downloading an invoice as PDF takes far too long, speed it up'],
    [
      'Users cannot reset their password when the email has a plus sign',
      'Password reset breaks for email addresses that contain a plus',
    ],
    ['Retry webhook deliveries that time out', 'Webhook delivery should be attempted again after a timeout'],
    [
      'The sidebar overlaps the chart on narrow screens',
      'On small screens the chart is covered by the sidebar, fix the layout',
    ],
    ['Write tests for the cart discount rules', 'Discount rules of the cart have no test coverage, add some'],
    ['Translate the onboarding emails into German', 'German localisation of the emails sent during onboarding'],
    ['Memory grows without bound in the image resize worker', 'Resize worker for images has a memory leak'],
    ['Document how to rotate the signing key', 'The docs lack a section on signing key rotation'],
  ]),
  ...pairs('order', [
    ['Fix the flaky checkout test and speed up the suite', 'Speed up the suite and fix the flaky checkout test'],
    [
      'In the audit log, sort entries by date and group them by user',
      'Group audit log entries by user and sort them by date',
    ],
    [
      'Cache search results per tenant, with a limit on memory',
      'With a limit on memory, cache search results per tenant',
    ],
    [
      'Keyboard shortcuts for the board: move a card, archive a card',
      'Board keyboard shortcuts: archive a card, move a card',
    ],
    [
      'Validate the upload size and type before storing the file',
      'Before storing the file validate the upload type and size',
    ],
    ['Paginate the order list and the customer list', 'Paginate the customer list and the order list.'],
    ['**Profile page**: show avatar, show time zone', 'Show time zone and show avatar on the profile page'],
  ]),
  ...pairs('subset', [
    ['Fix crash on empty cart', 'Fix the crash on an empty cart that was reported by two customers'],
    [
      'Add a dark theme to the settings page, with a toggle, and remember what was chosen for the next session',
      'Add a dark theme toggle to the settings page and remember what was chosen',
    ],
    [
      'Log the request id in every error response',
      'Log the request id in every error response so that support can find it',
    ],
    ['Refactor the payment gateway client', 'Refactor the payment gateway client into smaller modules'],
    ['Send a notification when a review is requested.', 'Send a notification when a review is requested'],
    ['Drop the unused columns of the orders table', 'Drop unused columns of the `orders` table in a migration'],
    ['Rate limit the public API by token', 'Rate limit the public API by token, answer with a clear error'],
  ]),
];

export const DIFFERENT: readonly TaskPair[] = [
  ...pairs('antonym', [
    ['Enable telemetry by default in the desktop client', 'Disable telemetry by default in the desktop client'],
    ['Show archived projects in the project list', 'Hide archived projects in the project list'],
    ['Allow guests to comment on shared boards', 'Deny guests to comment on shared boards'],
    ['Add the legacy export endpoint to the public API', 'Remove the legacy export endpoint from the public API'],
    ['Cache responses that have an error status', 'Do not cache responses that have an error status'],
    ['Open the side panel after a card was moved', 'Close the side panel after a card was moved'],
  ]),
  ...pairs('direction', [
    ['Migrate the session store from Redis to Postgres', 'Migrate the session store from Postgres to Redis'],
    ['Sync contacts from the CRM into the mailing list', 'Sync contacts from the mailing list into the CRM'],
    ['Convert timestamps: UTC -> local time', 'Convert timestamps: local time -> UTC'],
    [
      'Move the date helpers from the client package to a server package',
      'Move the date helpers from a server package to the client package',
    ],
  ]),
  ...pairs('number', [
    ['Raise the upload limit to 50 MB for paying customers', 'Raise the upload limit to 20 MB for paying customers'],
    ['Upgrade React to version 18 in the admin frontend', 'Upgrade React to version 19 in the admin frontend'],
    ['Rename the column `created` of the events table', 'Rename the column `updated` of the events table'],
    ['Raise test coverage of src/billing/tax.ts', 'Raise test coverage of src/billing/fees.ts'],
    ['Port the image filter from Python to C++', 'Port the image filter from Python to C#'],
  ]),
];
