// Loaded before a program, so that one that fails says so at once.
//
// The SDK shows an error by util.inspect(error, {colors: true}). Node.js colours the packages in its stack, and never ends
// where a line has a scoped package and no separator after it, until the text is as long as a string may be: minutes, and
// gigabytes. The SDK's own source maps write such lines ("node_modules/@pulumi/output.ts:516:31"), so whatever is thrown in
// apply() ends so. Without colours nothing is searched, and nobody sees colours here: what is shown goes to a diagnostic.
"use strict";

const util = require("util");
const { syncBuiltinESMExports } = require("module");

util.inspect = new Proxy(util.inspect, {
    apply(inspect, self, [value, options, ...rest]) {
        const plain = options && typeof options === "object" && options.colors ? { ...options, colors: false } : options;
        return Reflect.apply(inspect, self, [value, plain, ...rest]);
    },
});
syncBuiltinESMExports();
