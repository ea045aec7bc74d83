package dev.rekindle.logging;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Reads what sources log, by the compiler's own parser. Each use of {@code LOG} has to be one whole
 * statement: {@code LOG.atWarn().addKeyValue(LogKey.NODE.key(), node).log("Node fenced")}.
 */
final class LogStatements {
  private static final Pattern LEVEL = Pattern.compile("at(Error|Warn|Info|Debug)");
  private static final Pattern KEY = Pattern.compile("LogKey\\.([A-Z_]+)\\.key\\(\\)");
  private static final Pattern MESSAGE = Pattern.compile("[A-Z][^{}\"\\\\=%]{2,98}[^.{} ]");
  private static final Set<String> OF_SLF4J = Set.of("org.slf4j.Logger", "org.slf4j.LoggerFactory");

  private final List<String> problems = new ArrayList<>();
  private final Set<LogKey> used = EnumSet.noneOf(LogKey.class);
  private int count;

  /** Reads a file. */
  void read(Path file) throws IOException {
    read(file.getFileName().toString(), Files.readString(file));
  }

  /** Reads the text of a file. */
  void read(String name, String text) throws IOException {
    if (!text.contains("slf4j") && !text.contains("ch.qos.logback")) {
      return;
    }
    var source =
        new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
          }
        };
    var task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, List.of(source));
    for (var unit : task.parse()) {
      new Uses(name, unit, Trees.instance(task).getSourcePositions()).scan(unit, null);
    }
  }

  /** What is wrong, with file and line. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** The keys that are used somewhere. */
  Set<LogKey> used() {
    return EnumSet.copyOf(used);
  }

  /** How many statements were read. */
  int count() {
    return count;
  }

  private record Call(String name, List<? extends ExpressionTree> arguments) {}

  private final class Uses extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final String file;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;

    private Uses(String file, CompilationUnitTree unit, SourcePositions positions) {
      this.file = file;
      this.unit = unit;
      this.positions = positions;
    }

    @Override
    public @Nullable Void visitImport(ImportTree node, @Nullable Void unused) {
      var name = node.getQualifiedIdentifier().toString();
      if ((name.startsWith("org.slf4j") || name.startsWith("ch.qos")) && !OF_SLF4J.contains(name)) {
        problem(node, "imports " + name);
      }
      // The names in it are no use of a logger.
      return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree node, @Nullable Void unused) {
      if ("Logger".equals(String.valueOf(node.getType()))) {
        var wanted = "LoggerFactory.getLogger(" + file.replace(".java", "") + ".class)";
        var modifiers = String.valueOf(node.getModifiers()).strip();
        if (!node.getName().contentEquals("LOG")
            || !modifiers.equals("private static final")
            || !wanted.equals(String.valueOf(node.getInitializer()))) {
          problem(node, "a logger is `private static final Logger LOG = " + wanted + "`");
        }
      }
      return super.visitVariable(node, null);
    }

    @Override
    public @Nullable Void visitIdentifier(IdentifierTree node, @Nullable Void unused) {
      if (node.getName().contentEquals("LOG")) {
        count++;
        statement(node, calls(getCurrentPath()));
      }
      return super.visitIdentifier(node, null);
    }

    /** The calls that begin at a name, in the order they are made. */
    private List<Call> calls(TreePath name) {
      List<Call> calls = new ArrayList<>();
      TreePath at = name;
      while (at.getParentPath().getLeaf() instanceof MemberSelectTree select
          && at.getParentPath().getParentPath().getLeaf() instanceof MethodInvocationTree call
          && call.getMethodSelect().equals(select)) {
        calls.add(new Call(select.getIdentifier().toString(), call.getArguments()));
        at = at.getParentPath().getParentPath();
      }
      return calls;
    }

    private void statement(Tree at, List<Call> calls) {
      if (calls.size() < 2
          || !LEVEL.matcher(calls.getFirst().name()).matches()
          || !calls.getLast().name().equals("log")) {
        problem(at, "no whole statement of the form LOG.atX()...log(\"Message\")");
        return;
      }
      Set<String> keys = new HashSet<>();
      for (var call : calls.subList(1, calls.size() - 1)) {
        switch (call.name()) {
          case "addKeyValue" -> key(at, call.arguments().getFirst(), keys);
          case "setCause" -> {}
          default -> problem(at, call.name() + " is none of addKeyValue, setCause");
        }
      }
      message(at, calls.getLast().arguments());
    }

    private void key(Tree at, ExpressionTree argument, Set<String> keys) {
      Matcher key = KEY.matcher(argument.toString());
      if (!key.matches()) {
        problem(at, "the key " + argument + " is not of LogKey");
      } else if (!keys.add(key.group(1))) {
        problem(at, "the key " + argument + " is given twice");
      } else {
        used.add(LogKey.valueOf(key.group(1)));
      }
    }

    private void message(Tree at, List<? extends ExpressionTree> arguments) {
      var text = arguments.size() == 1 ? constant(arguments.getFirst()) : Optional.<String>empty();
      if (text.isEmpty()) {
        problem(at, "the message " + arguments + " is not one constant text");
      } else if (!MESSAGE.matcher(text.get()).matches()) {
        problem(at, "the message '" + text.get() + "' is no plain text: [A-Z]..., no full stop");
      }
    }

    private Optional<String> constant(ExpressionTree tree) {
      return switch (tree) {
        case LiteralTree literal when literal.getValue() instanceof String text ->
            Optional.of(text);
        case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS ->
            constant(sum.getLeftOperand())
                .flatMap(left -> constant(sum.getRightOperand()).map(left::concat));
        default -> Optional.empty();
      };
    }

    private void problem(Tree at, String text) {
      var position = positions.getStartPosition(unit, at);
      problems.add(
          String.format(
              Locale.ROOT, "%s:%d: %s", file, unit.getLineMap().getLineNumber(position), text));
    }
  }
}
