/** Reports on the directories and files of all structures on flash. */
package io.winnow.flash;
