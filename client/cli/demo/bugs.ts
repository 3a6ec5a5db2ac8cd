/**
 * The two bugs of minimist 1.2.7 that its next release fixed, as the demo tells them: the task, a red test each, a fix each.
 * Each fix is a patch of its own, so that `--withhold-fix` can leave one out.
 */

export const TASK = `Fix two bugs of this argument parser.

1. "--foo -" loses its value: parse(['--foo', '-']) gives {foo: true, _: ['-']} instead of {foo: '-', _: []}.
2. opt.string is ignored for every alias beyond the first: with alias {s: ['str', 'z']} and string 's', "--z 000123" gives a number.

The tests at the end of test/dash.js and test/parse.js show them.`;

export const TITLE = 'Fix "--foo -" and opt.string with several aliases';

/** Added to the package's own test files before the run; red on the base. */
export const RED_TESTS: Readonly<Record<'test/dash.js' | 'test/parse.js', string>> = {
  'test/dash.js': `
test('lone dash as the value of a long option', function (t) {
    t.plan(2);
    t.deepEqual(parse([ '--foo', '-' ]), { foo: '-', _: [] });
    t.deepEqual(parse([ '--foo', '-' ], { string: 'foo' }), { foo: '-', _: [] });
});
`,
  'test/parse.js': `
test('string and several aliases', function (t) {
    var x = parse([ '--z', '000123' ], {
        string: 's',
        alias: { s: [ 'str', 'z' ] }
    });

    t.equal(x.s, '000123');
    t.equal(x.str, '000123');
    t.equal(x.z, '000123');

    var y = parse([ '--str', '1e3' ], {
        string: 's',
        alias: { s: [ 'z', 'str' ] }
    });

    t.equal(y.str, '1e3');
    t.end();
});
`,
};

export const ALIAS_FIX = `--- a/index.js
+++ b/index.js
@@ -27,9 +27,9 @@ module.exports = function (args, opts) {
 
     [].concat(opts.string).filter(Boolean).forEach(function (key) {
         flags.strings[key] = true;
-        if (aliases[key]) {
-            flags.strings[aliases[key]] = true;
-        }
+        (aliases[key] || []).forEach(function (alias) {
+            flags.strings[alias] = true;
+        });
      });
 
     var defaults = opts['default'] || {};
`;

export const DASH_FIX = `--- a/index.js
+++ b/index.js
@@ -122,7 +122,7 @@ module.exports = function (args, opts) {
         else if (/^--.+/.test(arg)) {
             var key = arg.match(/^--(.+)/)[1];
             var next = args[i + 1];
-            if (next !== undefined && !/^-/.test(next)
+            if (next !== undefined && (next === '-' || !/^-/.test(next))
             && !flags.bools[key]
             && !flags.allBools
             && (aliases[key] ? !aliasIsBoolean(key) : true)) {
`;
