/** What building any filter shares: the hashes that come in, and the scratch memory of a build. */
package io.winnow.build;
